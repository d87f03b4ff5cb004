/** The bounds of a collection, each with its unit and its reason. */
export const limits = {
  /** Signals, device id and keys together: what is not there by then is left out as `timeout`. */
  gatherMs: 1_000,
  /** Signing and encrypting: a few milliseconds anywhere. With `gatherMs` it is the hard limit of 1.5 s. */
  sealMs: 500,
  /** For the device id alone, before signals are read. As a rule it takes 10 ms; what is slower goes on beside them. */
  headStartMs: 300,
  /** Reading at a stretch before the browser may paint and answer the person: half a frame at 60 Hz. */
  sliceMs: 8,
  /** Characters of one text. The longest user agents have about 300. */
  textLengthMax: 512,
  /** Items of one list or members of one object; a page can put thousands there. */
  itemsMax: 64,
  /** Lists and objects inside each other, the signal itself included. None of ours has more than three. */
  depthMax: 4,
  /** Bytes of the content. As a token it is a third longer, and the service takes 48 KiB. */
  contentBytesMax: 32_768,
  /** Age at which a token in a form is made anew when the person comes back to the form. */
  fieldAgeMsMax: 60_000,
  /** The same for a token that a script has read: it may have sent it. Some scripts read the form at every key. */
  readAgeMsMax: 2_000,
  /** How often a form asks once more for what was left out, or for keys that did not come. Some answers never come. */
  fieldAgainMax: 2,
} as const;
