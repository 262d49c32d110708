// Numbers in sentences.

/** `1 proxy`, `2 proxies`; `many` is the word for one with an s unless it is given. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** `1 transaction`, `2 transactions`. */
export const transactions = (count: number): string => counted(count, 'transaction')
