"""The protocols that ship, each with its promise, its workload, its monitors, and bugs to be found."""
