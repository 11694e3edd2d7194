"""The project's breakpoints and watches, and the file that keeps them."""
