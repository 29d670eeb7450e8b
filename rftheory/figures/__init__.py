"""What figures share: style, comparison with the print, data sets, regression on features."""
