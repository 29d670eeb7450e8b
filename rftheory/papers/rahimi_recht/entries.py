"""The entries of the catalogue of the walk-through and its neighbours, in the order of the sources."""

from __future__ import annotations

ENTRIES: tuple[str, ...] = ("rff.dual-intro", "rff.eq1", "rff.eq2", "rff.eq3", "rff.eq4", "rff.eq5", "rff.eq6",
    "rff.eq7", "rff.cost", "rff.eq8", "rff.eq8-density", "rff.ft-deriv", "rff.ft-ode", "rff.const-C", "rff.bochner",
    "rff.eq9", "rff.gamma-w", "rff.realeven", "rff.eq10", "rff.eq11", "rff.unbiased", "rff.var-decr", "rff.primal",
    "rff.eq12", "rff.eq13", "rff.eq14", "rff.paper-loose", "rff.cosproduct", "rff.diam", "rff.ball", "rff.cover-def",
    "rff.eq15", "rff.cover-rad", "rff.packing", "rff.epsnet", "rff.epsnet-eq", "rff.markov", "rff.union", "rff.lip",
    "rff.claim", "rff.sigma-p", "rff.parse", "rff.f", "rff.bounds", "rff.diamDelta", "rff.net", "rff.taylor",
    "rff.gamma-beta", "rff.anchor", "rff.Lf-def", "rff.EL2", "rff.eq16", "rff.eq17", "rff.eq18", "rff.combine",
    "rff.T", "rff.form", "rff.ropt", "rff.c-form", "rff.c-sum", "rff.assume", "rff.final", "rff.impl1", "rff.impl2",
    "rff.impl3", "ss15.maps", "ss15.var", "ss15.compare", "ss15.unif-pair", "ss15.unif-phase", "ss15.mean-error",
    "yu16.orf", "yu16.var", "dk24.mean", "dk24.var", "ch18.charm")  # fmt: skip
