"""What `paperlake doctor` looks at, one module an area."""
