// Numbers in sentences.

/** `1 transaction`, `2 transactions`. */
export const transactions = (count: number): string => `${count} transaction${count === 1 ? '' : 's'}`
