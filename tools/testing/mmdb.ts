/**
 * A writer of MMDB databases, for tests: a binary tree over the bits of addresses, then the data, then the metadata.
 * Source: https://maxmind.github.io/MaxMind-DB/
 */
export type MmdbValue = string | number | boolean | MmdbValue[] | { [name: string]: MmdbValue };

interface Node {
  readonly children: [Node | number | undefined, Node | number | undefined];
}

/** @param networks IPv6 addresses as bits (`'0010…'`); IPv4 is below 96 zeros */
export function writeMmdb(
  type: string,
  builtAtSeconds: number,
  networks: readonly (readonly [bits: string, value: MmdbValue])[],
): Buffer {
  const root: Node = { children: [undefined, undefined] };
  const data: Buffer[] = [];
  let dataBytes = 0;
  for (const [bits, value] of networks) {
    let node = root;
    for (const bit of bits.slice(0, -1)) {
      const side = Number(bit) as 0 | 1;
      const child = node.children[side];
      node = typeof child === 'object' ? child : (node.children[side] = { children: [undefined, undefined] });
    }
    node.children[Number(bits.at(-1)) as 0 | 1] = dataBytes;
    const bytes = encode(value);
    data.push(bytes);
    dataBytes += bytes.length;
  }
  const nodes: Node[] = [];
  const number = new Map<Node, number>();
  const collect = (node: Node): void => {
    number.set(node, nodes.push(node) - 1);
    for (const child of node.children) if (typeof child === 'object') collect(child);
  };
  collect(root);
  const tree = Buffer.alloc(nodes.length * 8);
  nodes.forEach(({ children }, at) =>
    children.forEach((child, side) => {
      const record =
        child === undefined ? nodes.length : typeof child === 'number' ? nodes.length + 16 + child : number.get(child)!;
      tree.writeUInt32BE(record, at * 8 + side * 4);
    }),
  );
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: builtAtSeconds,
    database_type: type,
    description: { en: 'a database for tests' },
    ip_version: 6,
    languages: ['en'],
    node_count: nodes.length,
    record_size: 32,
  };
  return Buffer.concat([
    tree,
    Buffer.alloc(16),
    ...data,
    Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'),
    encode(metadata),
  ]);
}

/** The bits of an IPv4 network. */
export function bitsOfIpv4(network: string): string {
  const [address, length] = network.split('/') as [string, string];
  const bits = address.split('.').map((byte) => Number(byte).toString(2).padStart(8, '0'));
  return '0'.repeat(96) + bits.join('').slice(0, Number(length));
}

/** The bits of an IPv6 network that ends with zeros: `2001:db8::/32`. */
export function bitsOfIpv6(network: string): string {
  const [address, length] = network.split('::/') as [string, string];
  const bits = address.split(':').map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0'));
  return bits.join('').padEnd(128, '0').slice(0, Number(length));
}

function encode(value: MmdbValue): Buffer {
  if (typeof value === 'string') return headed(2, Buffer.from(value));
  if (typeof value === 'boolean') return headed(14, Buffer.alloc(0), value ? 1 : 0);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(Number.isInteger(value) && value >= 0 ? 4 : 8);
    if (bytes.length === 4) bytes.writeUInt32BE(value);
    else bytes.writeDoubleBE(value);
    return headed(bytes.length === 4 ? 6 : 3, bytes);
  }
  if (Array.isArray(value)) return Buffer.concat([headed(11, Buffer.alloc(0), value.length), ...value.map(encode)]);
  const members = Object.entries(value);
  const parts = members.flatMap(([name, member]) => [encode(name), encode(member)]);
  return Buffer.concat([headed(7, Buffer.alloc(0), members.length), ...parts]);
}

/** Sizes up to 284 are enough for tests. */
function headed(type: number, bytes: Buffer, size = bytes.length): Buffer {
  const [short, more] = size < 29 ? [size, []] : [29, [size - 29]];
  const head = type <= 7 ? [(type << 5) | short, ...more] : [short, type - 7, ...more];
  return Buffer.concat([Buffer.from(head), bytes]);
}
