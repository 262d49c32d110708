// The time that clients in Go read as "not set": they decode these fields as times, and no other text of none.

export const NO_TIME = '0001-01-01T00:00:00Z'
