"""What is installed: programs, studies, domains, and the cache of builds."""
