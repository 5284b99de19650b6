"""How sure an answer is: intervals from draws of the parameters, for one answer and for rows."""
