"""`make soak`: a long session, watched for what grows."""
