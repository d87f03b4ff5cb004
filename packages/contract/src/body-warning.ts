import type { Remark } from './check-body.ts';
import type { SchemaNode } from './schema-node.ts';

/** Something that an accepted body should not have. */
export interface BodyWarning {
  readonly code:
    | 'timestamp.missing'
    | 'timestamp.dateAlone'
    | 'timestamp.implausible'
    | 'channel.unknown'
    | 'amount.rounded'
    | 'currency.folded'
    | 'currency.unknown'
    | 'card.masked';
  /** Visible ASCII without quotation marks and backslashes, because it is sent in a header. */
  readonly detail: string;
}

const remarkCodes = {
  rounded: { code: 'amount.rounded', text: 'has more than 6 decimals and was rounded to 6' },
  folded: { code: 'currency.folded', text: 'was taken in capitals and without spaces around it' },
  unknownCurrency: { code: 'currency.unknown', text: 'is not a currency code of ISO 4217' },
  masked: { code: 'card.masked', text: 'looks like a card number or contains one, and was masked' },
} as const satisfies Record<Remark['kind'], { readonly code: BodyWarning['code']; readonly text: string }>;

/** What a check of a body remarked, once for each member. */
export function warningsOf(schema: SchemaNode, remarks: readonly Remark[]): readonly BodyWarning[] {
  const warnings = remarks.map((remark) => {
    const { code, text } = remarkCodes[remark.kind];
    return { code, detail: `${memberNameOf(schema, remark)} ${text}` };
  });
  return [...new Map(warnings.map((warning) => [warning.detail, warning])).values()];
}

/** The member as far as the interface names it: other names may contain anything, and there may be many. */
function memberNameOf(schema: SchemaNode, { path }: Remark): string {
  const names: string[] = [];
  let node: SchemaNode | undefined = schema;
  for (const name of path) {
    node = node?.properties?.[name];
    if (node === undefined) break;
    names.push(String(name));
  }
  return names.length === 0 ? 'an unknown member' : names.join('.');
}
