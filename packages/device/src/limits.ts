/** The bounds of a collection, each with its unit and its reason. */
export const limits = {
  /** Signals, device id and keys together: anything not ready by then is omitted as `timeout`. */
  gatherMs: 1_000,
  /** Signing and encrypting: a few milliseconds anywhere. Together with `gatherMs` it is the hard limit of 1.5 s. */
  sealMs: 500,
  /**
   * For the device id alone, before signals are read. It usually takes 10 ms; if it is slower, it continues while they
   * are read.
   */
  headStartMs: 300,
  /** Reading time before the browser may paint and respond to the person: half a frame at 60 Hz. */
  sliceMs: 8,
  /** Characters of one text. The longest user agents have about 300. */
  textLengthMax: 512,
  /** Items of one list or members of one object; a page can create thousands. */
  itemsMax: 64,
  /** Nesting depth of lists and objects, the signal itself included. None of ours has more than three levels. */
  depthMax: 4,
  /** Bytes of the content. As a token it is a third longer, and the service accepts 48 KiB. */
  contentBytesMax: 32_768,
  /** Age at which a token in a form is replaced when the person comes back to the form. */
  fieldAgeMsMax: 60_000,
  /**
   * The same for a token that a script has read, and so may have sent. Some scripts read the form at every key press.
   */
  readAgeMsMax: 2_000,
  /** How often a form retries omitted signals, or keys that did not arrive. Some answers never come. */
  fieldAgainMax: 2,
} as const;
