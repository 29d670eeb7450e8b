"""The room of *Simplex Random Features* (Reid, Choromanski, Likhosherstov, Weller, ICML 2023), in the order of the paper."""
