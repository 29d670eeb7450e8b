"""Our samplers in other libraries: scikit-learn transformers, torch modules, a gpytorch kernel.

Each module imports its library, so it is imported by name: ``rftheory.interop.sklearn``, ``rftheory.interop.torch``,
``rftheory.interop.gpytorch``.
"""
