"""The pseudo terminals of debugged programs."""
