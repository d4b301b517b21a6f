"""What verification found: findings, their kinds, and those that are alike."""
