"""A separate thread for the connection of a client whose library needs an event loop."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """An event loop that runs until it is closed, so that pings are answered between requests."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, task: Coroutine[Any, Any, T], timeout_s: float | None = None) -> T:
        """Wait for a task and return its result; cancel it after the timeout, or if interrupted."""
        future = asyncio.run_coroutine_threadsafe(task, self._loop)
        try:
            return future.result(timeout_s)
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """End the loop and the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
