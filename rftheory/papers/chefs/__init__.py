"""The room of *Chefs' Random Tables* (Likhosherstov, Choromanski, Dubey, Liu, Sarlos, Weller, NeurIPS 2022)."""
