"""Local distributions in the form in which users write them and see them."""
