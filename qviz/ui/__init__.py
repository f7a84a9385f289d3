"""The app: frame, state, widgets and one body module per page."""
