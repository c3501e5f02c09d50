"""The papers' experiments as protocols that anyone can run, published figures beside ours."""
