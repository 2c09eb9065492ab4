"""Name the groups in which help shows options."""

INCLUDE, ORDER, AMOUNT = "What to include", "Order", "How much"
PLACE, SAFETY, OUTPUT, EXPERT = "Where and for whom", "Safety", "Output", "For special cases"

# In the order in which help shows them.
GROUPS = (INCLUDE, ORDER, AMOUNT, PLACE, SAFETY, OUTPUT, EXPERT)
