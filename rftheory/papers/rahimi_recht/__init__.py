"""The room of the walk-through of Rahimi and Recht 2007, *Random Features for Large-Scale Kernel Machines*, and its neighbours."""
