// A spec that imports this has bounds that are figures of a machine that does nothing else: no other spec runs beside it.
export {}
