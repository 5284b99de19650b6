"""Local distributions as users state them and see them."""
