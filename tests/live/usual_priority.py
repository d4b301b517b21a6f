"""The live page at the usual priority: at its own, it would wait until no other test runs."""

from wirelab.live.__main__ import main

if __name__ == "__main__":
    main()
