import { dayMs, minuteMs, secondMs } from '@ringfence/contract';
import { capCountMax } from '@ringfence/policy';

/*
 * Every bound of the engine. What is counted is bounded by counts, never by the time that work takes: replay on a
 * slower machine must decide the same.
 */

/** How far before its arrival an operation's own time counts, ms: banks upload what a branch did offline within a day. */
export const eventLateMsMax = dayMs;
/** How far after its arrival an operation's own time counts, ms: the clocks of two servers that nobody looks after. */
export const eventEarlyMsMax = 5 * minuteMs;
/** `sessionGrace` is at most this, ms (DESIGN §7). */
export const sessionGraceMsMax = minuteMs;
/**
 * State is kept for the window and this much, ms, so that a late event sees its window whole, also when it waited
 * for its login first.
 */
export const lateReachMs = eventLateMsMax + sessionGraceMsMax;

/** A byte-equal login or logout this soon after the first is a retry, ms: the time-outs of HTTP clients. */
export const entryRetryMs = 10 * secondMs;
/** A byte-equal operation with a reference this soon after the first is a retry, ms. Also how far `event.repeats` looks back. */
export const repeatReachMs = dayMs;
/** Different bodies remembered per client to know repeats, about 100 bytes each: more than a payroll run sends between a call and its retry. */
export const repeatBodiesMax = 1_024;
/** Times remembered per body, so that `event.repeats` ends at this number. */
export const repeatsPerBodyMax = 64;

/**
 * How long a device token is remembered, ms: the door takes one for 15 minutes, from clocks that are up to 5 minutes
 * ahead, and a record may wait for the log.
 */
export const tokenReachMs = 30 * minuteMs;
/** Device tokens remembered per workspace, about 60 bytes each: 36 logins a second for that long. Beyond it the oldest go. */
export const tokensMax = 65_536;

/** Devices remembered per client, about 500 bytes each: what a person uses in some years. The one that was unused for the longest goes. */
export const knownDevicesMax = 16;
/** Addresses, networks and countries remembered per client, 8 bytes each: a phone has a new address every day, and a few networks. */
export const familiarAddressesMax = 32;
export const familiarNetworksMax = 32;
export const familiarCountriesMax = 16;
/** Values of one trait of devices that are counted per workspace; of more, the rarest are forgotten. */
export const traitValuesMax = 512;

/** Different clients that must have come with a version of a browser before it counts as in use: nobody has so many stolen passwords for that. */
export const browserClientsMin = 10;
/** How long they count, ms: browsers bring out a version each month, and what was made up goes again. */
export const browserReachMs = 30 * dayMs;
/** Browsers of a workspace whose versions are counted, and versions of each: the door names six. Together 30 KB at most. */
export const browsersMax = 8;
export const browserVersionsMax = 24;

/** Clients, and as much of what crowded feature entities keep beside their rows, that are objects of some KiB; others in memory are packed. */
export const inUseMax = 16_384;
/** Feature entities that stay in use however much memory is taken, some 4 KiB each where few clients are busy. */
export const featuresInUseMax = 98_304;
/** Part of the memory for entities up to which all feature entities stay as they are; above it those that are not in use are packed. */
export const roomyShare = 3 / 4;
/** The same of the memory that a state has unless the host says another, 1 GiB. */
export const roomyBytes = roomyShare * 2 ** 30;

/** Sessions remembered per client, about 100 bytes each: a company account with every clerk logged in. */
export const sessionsMax = 64;
/** Of these, sessions that have ended: enough to say of a late operation that its session was closed. */
export const endedSessionsMax = 8;
/** Cooldowns remembered per client: rules times sessions that are in use at once. */
export const cooldownsMax = 256;
/** Actions 1 and 2 per client whose outcome is awaited; the oldest is forgotten first. */
export const awaitedActionsMax = 256;
/** Operations that wait for their login, per workspace, about 1 KiB each; beyond it they are decided at once. */
export const waitingMax = 8_192;
/** Times remembered per rule for `maxActions`, 8 bytes each; a larger count acts as this one. */
export const actionTimesMax = capCountMax;
/** Times of the last day that are remembered even if the cap looks at fewer, so that another one that takes its place knows of them. */
export const rememberedTimes = { ofRule: 1_024, ofClient: 100 } as const;

/** Records that are best stepped together: more are no quicker, and what they take together the event loop waits for. */
export const togetherMax = 8;

/** Items of all live lists of a workspace together, about 60 bytes each; they are part of every checkpoint. */
export const liveItemsMax = 100_000;
/** Suppressions of a workspace, about 100 bytes each; they are part of every checkpoint. */
export const suppressionsMax = 10_000;

/** Rows kept per feature entity, about 40 bytes each; older ones become buckets. Every window over fewer rows is exact. */
export const rowsMax = 4_096;
/** Share of `rowsMax` that is moved at a time, 64 rows: moving all at once would let every other event wait. */
export const movedShare = 1 / 64;
/** A feature's buckets are merged every so many times that rows are moved, not those of all features at once. */
export const mergeTurns = 8;
/** Buckets per feature that are kept as they are, one per row, before rows are merged: a rare feature beside a busy one stays exact. */
export const exactBucketsMax = 1_024;
/** A bucket holds at most this share of all that is newer; half of it is the error at the edge of a window. */
export const bucketShareMax = 0.01;
/** Values whose number a bucket keeps: the share of one is counted too low by less than one in so many of the bucket. */
export const countedValuesMax = 256;
/** Distinct values kept per entity and feature; beyond it every second one is sampled, standard error below 0.4 %. */
export const distinctValuesMax = 131_072;
/** Half-lives without an event after which a profile begins again: what it knew would count a thousandth. */
export const profileHalfLivesMax = 10;
/** Events before a profile says how far from usual a number is: fewer have no spread to speak of. */
export const profileEventsMin = 5;
/** A profile's deviation counts as at least this share of its average. */
export const profileSpreadMin = 0.01;
/** Currencies that a profile knows apart; the one not seen for the longest is forgotten. */
export const profileCurrenciesMax = 16;
/** Currencies of which the last value is kept when rows are too many. */
export const previousCurrenciesMax = 16;
/** Events labelled fraud that are kept per entity and feature, 16 bytes each; beyond it the oldest are forgotten. */
export const labelledMax = 16_384;
/** Rows of a window up to which a feature is computed by looking at each: a window that moves costs more to keep than these cost to read. */
export const scannedRowsMax = 48;
/** Rows after which an entity first looks for rows that no feature needs any more. */
export const sweepRowsMin = 32;
