// Defines the value of a cell that is more than text.

export interface TypedValue {
  readonly value: number;
  /** Number format. @default none */
  readonly format?: string;
  /** True for a text that is a number only beside others, such as `(12)` and `123 456`. @default false */
  readonly isUnsure?: boolean;
}
