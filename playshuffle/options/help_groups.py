"""Define the groups of options in the help."""

INCLUDE, ORDER, AMOUNT, THIS_DEAL = "What to include", "Order", "How much", "This deal"
PLACE, SAFETY, OUTPUT, EXPERT = "Where and for whom", "Safety", "Output", "For special cases"

# In the order of the help. The short help, -h, omits EXPERT.
GROUPS = (INCLUDE, ORDER, AMOUNT, THIS_DEAL, PLACE, SAFETY, OUTPUT, EXPERT)
