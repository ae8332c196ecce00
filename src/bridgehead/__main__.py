"""``python -m bridgehead``: the command line, where its script is not on the path."""

from bridgehead.cli.main import main

if __name__ == "__main__":
    main()
