// Nothing to call: what is linked is enough.
