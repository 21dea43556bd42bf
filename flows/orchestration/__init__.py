"""What surrounds the flow in Prefect: deployments, schedules, artifacts, events, and runs that were late or killed."""
