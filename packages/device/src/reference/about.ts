/**
 * How long a signal stays the same:
 * - `device`: for the life of the device
 * - `system`: until the operating system, a driver or the fonts change
 * - `browser`: until the browser is updated or another one is used
 * - `setting`: until the person changes a setting
 * - `visit`: may differ from one page to the next
 */
export type Stability = 'device' | 'system' | 'browser' | 'setting' | 'visit';

/** The part of JSON Schema that describes the values of signals. */
export type ValueSchema =
  | {
      readonly type: 'string';
      readonly maxLength?: number;
      readonly pattern?: string;
      readonly enum?: readonly string[];
    }
  | { readonly type: 'integer' | 'number'; readonly minimum?: number; readonly maximum?: number }
  | { readonly type: 'boolean' }
  | { readonly type: 'array'; readonly items: ValueSchema; readonly maxItems?: number }
  | {
      readonly type: 'object';
      readonly properties: Readonly<Record<string, ValueSchema>>;
      readonly required?: readonly string[];
    };

/**
 * The description in a signal's file. It is used for the reference page and the JSON Schema, and is not in the bundle.
 */
export interface About {
  readonly what: string;
  /** What a rule or a person can conclude from it. */
  readonly purpose: string;
  readonly stability: Stability;
  readonly schema: ValueSchema;
  /** The specification or documentation of the interface that is read. */
  readonly source: string;
}
