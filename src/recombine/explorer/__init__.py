"""The server side of `recombine explore`: a page on loopback that forecasts, trains and looks inside.

Routes are thin and answer with JSON. What takes long is computed by processes beside the server, so that it stays
responsive and can end what takes too long; trainings have a process each. Only the server writes records, by the same
code as every other command. Nothing a client says names a file.
"""
