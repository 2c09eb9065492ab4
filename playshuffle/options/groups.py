"""Name the groups in which help shows options."""

INCLUDE, ORDER, AMOUNT, THIS_DEAL = "What to include", "Order", "How much", "This deal"
PLACE, SAFETY, OUTPUT, EXPERT = "Where and for whom", "Safety", "Output", "For special cases"

# In the order in which help shows them. The short help, -h, omits EXPERT.
GROUPS = (INCLUDE, ORDER, AMOUNT, THIS_DEAL, PLACE, SAFETY, OUTPUT, EXPERT)
