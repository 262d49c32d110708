// Entry module of a host thread that never comes up.
throw new Error('this module cannot be loaded')
