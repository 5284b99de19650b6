"""Worker processes: what they answer, how they are asked, and how they are stopped."""
