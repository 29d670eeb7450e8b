"""The room of *Hybrid Random Features* (Choromanski, Chen, Lin, Ma, Sehanobish et al., ICLR 2022), in the order of the paper."""
