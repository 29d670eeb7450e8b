"""What figures share: style, data sets, comparison with printed numbers, regression on features."""
