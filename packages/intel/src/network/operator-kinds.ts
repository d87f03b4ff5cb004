import type { Operator } from './world-table.ts';

/** The use of an operator's addresses, if it applies to nearly all of them. */
export const networkKinds = ['hosting', 'vpn', 'tor', 'relay', 'proxy'] as const;
export type NetworkKind = (typeof networkKinds)[number];

/** Operators that rent out servers or proxy other people's sites. No person is behind these addresses directly. */
const hosting = [
  [8987, 14618, 16509], // Amazon
  [15169, 19527, 396982], // Google
  [8068, 8075], // Microsoft
  [31898, 36351], // Oracle, IBM
  [24940, 212317, 213230], // Hetzner
  [16276, 35540], // OVH
  [14061, 20473, 12876], // DigitalOcean, Vultr, Scaleway
  [16625, 20940, 63949], // Akamai
  [13335, 209242, 54113], // Cloudflare, Fastly
  [40021, 51167, 141995], // Contabo
  [37963, 45102, 45090, 132203, 55990, 136907], // Alibaba, Tencent, Huawei
  [7203, 28753, 30633, 59253, 60626, 60781, 393886, 395954], // Leaseweb
  [9009, 49981, 60068, 212238, 62240], // M247, WorldStream, Datacamp, Clouvider
  [29802, 61317, 8100, 36352, 54290, 53667], // Hivelocity, QuadraNet, HostPapa, FranTech
  [46606, 26496, 398101, 47583, 22612, 19318], // Unified Layer, GoDaddy, Hostinger, Namecheap, Interserver
  [8560, 197540, 24961, 30823, 29066, 34549], // IONOS, netcup, WIIT, aurologic, velia.net, meerfarbig
  [44477, 200651, 57043, 50867, 202425, 206264], // Stark, FlokiNET, HOSTKEY, IP Volume, Amarutu
  [49505, 9123, 197695, 48282, 198610, 29182, 210644, 216246], // Selectel, TimeWeb, REG.RU, VDSina, Beget, ISPserver, Aeza
  [25820, 35916, 62904, 55286, 32097, 33387, 3223, 46562], // IT7, Multacom, Eonix, B2 Net, WholeSale, Nocix, Voxility, Performive
  [11878, 40676, 18978, 64286, 35913, 33182, 27589], // tzulo, Psychz, Enzu, LogicWeb, DediPath, HostDime, MojoHost
  [25369, 136258, 396356, 262287, 23470, 42831], // Hydra, BrainStorm, Latitude.sh, ReliableSite, UK Dedicated
  [43350, 43317, 201814, 49453, 58061, 54825, 63473], // NForce, Veesp, Mevspace, Global Layer, Scalaxy, Packet, HostHatch
];

/** Operators that are a VPN service, or rent servers only to these. */
const vpn = [
  [136787, 141039, 147049, 207137], // NordVPN
  [209854, 39351, 216025], // Surfshark, Mullvad
  [62371, 199218, 209103], // Proton
  [203619, 199124, 205809, 208765, 213163, 394104, 397282, 62635], // IVPN, Mega, and smaller ones
];

/** Associations that run Tor exits and little else. */
const tor = [[60729, 208323, 396507, 205100]];
/** Sellers of proxies. */
const proxy = [[35048]];

const kinds = new Map<number, NetworkKind>(
  Object.entries({ hosting, vpn, tor, proxy }).flatMap(([kind, groups]) =>
    groups.flat().map((asn): [number, NetworkKind] => [asn, kind as NetworkKind]),
  ),
);

const hostingWords = /\b(?:hosting|vps|datacent(?:er|re)s?|data cent(?:er|re)s?|dedicated servers?|colocation)\b/i;

/** The kind of an operator, by its number; otherwise hosting if its name indicates it. */
export function kindOfOperator({ asn, organisation }: Operator): NetworkKind | undefined {
  return kinds.get(asn) ?? (hostingWords.test(organisation) ? 'hosting' : undefined);
}
