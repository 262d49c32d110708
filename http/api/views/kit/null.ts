// Values that the database may leave NULL, in the shape clients read: { String | Int64, Valid }.

export interface NullString {
  readonly String: string
  readonly Valid: boolean
}

export interface NullInt64 {
  readonly Int64: number
  readonly Valid: boolean
}

export const nullString = (text: string | undefined): NullString => ({ String: text ?? '', Valid: text !== undefined })

export const nullInt64 = (value: number | undefined): NullInt64 => ({ Int64: value ?? 0, Valid: value !== undefined })
