"""Why an answer is what it is: what each finding adds, the trails along which it acts; and this in words."""
