"""What lazydap talks about, without saying how it travels or where it is stored."""
