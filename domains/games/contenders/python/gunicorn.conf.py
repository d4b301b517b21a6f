"""Settings of gunicorn that the four HTTP contenders share; read from the working folder.

How many threads a contender has is said in contender.toml: that is where they differ.
"""

# A contender has one core. Threads wait for the store, a second process would wait for the core.
workers = 1
worker_class = "gthread"

# The default of 2 s would close a client's idle connection between warm-up and measurement.
keepalive = 75

# A contender holds nothing worth waiting for. Otherwise idle kept-alive connections delay the end
# by 2 s, and an open WebSocket for as long as it is open.
graceful_timeout = 0

# The heartbeat file of the worker in memory: on a slow disk it stalls the worker.
worker_tmp_dir = "/dev/shm"

control_socket_disable = True
accesslog = None
errorlog = "-"
