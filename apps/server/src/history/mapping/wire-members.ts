import { type EventKind, eventSchemas } from '@ringfence/contract';

/** A text or number member of a wire's body. */
export interface WireMember {
  readonly path: string;
  readonly type: 'text' | 'number';
  readonly required: boolean;
}

interface Node {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
}

/** The object of texts under names that the sender chooses. */
export const detailsPrefix = 'transaction.details.';

export const wireMembers: Readonly<Record<EventKind, readonly WireMember[]>> = {
  login: membersOf(eventSchemas.login as unknown as Node),
  logout: membersOf(eventSchemas.logout as unknown as Node),
  operation: membersOf(eventSchemas.operation as unknown as Node),
};

function membersOf(node: Node, prefix = ''): readonly WireMember[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, member]) => {
    const path = prefix + name;
    const types = [member.type].flat();
    if (types.includes('object')) return membersOf(member, `${path}.`);
    const isNumber = types.includes('number') || types.includes('integer');
    return [{ path, type: isNumber ? 'number' : 'text', required: node.required?.includes(name) === true } as const];
  });
}
