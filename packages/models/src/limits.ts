/*
 * Every bound of a model. A policy is shown its models' cost before it is activated, so they count steps, never time.
 */

/** The text of an artifact, bytes: 150 full trees of depth 6 take half of it. Each thread loads it with its policy. */
export const artifactBytesMax = 1_048_576;
/** Inputs of a model: each is an expression of the policy, evaluated for every event. Good models here used 7 to 26. */
export const inputsMax = 64;
/** Characters of an input's name: what a person can read in a list of reasons. */
export const nameLengthMax = 64;
/** Texts of a category: countries with their regions, merchant category codes. */
export const textsMax = 1_024;
/** Characters of one text of a category: a word or a code, not a sentence. */
export const textLengthMax = 128;
/** Steps of an evaluation, trees times depth: 15 microseconds an event, with categories 50. 500 trees of depth 6 take 3,000. */
export const costMax = 5_000;
/** Levels of a tree. An explanation takes nodes times levels; LightGBM's usual trees have 10 to 30. */
export const depthMax = 64;
/** Pairs of a score table: one for each thousandth, and finer ones at both ends. */
export const scorePairsMax = 4_096;
/** Edges of the bins of an input's values: ten, or one for each text of a small category, are usual. */
export const populationEdgesMax = 100;
/** Mistakes that are listed for one file: a person corrects the first ones and reads it again. */
export const mistakesMax = 20;
/** Characters of a library's file: 2 to 4 times the artifact, because it has more numbers for each node. */
export const importBytesMax = 8 * artifactBytesMax;
/** Features of a library's model. Only those that its trees ask become inputs. */
export const featuresMax = 10_000;
/** The largest code of a category in a library's model, plus 1: codes of merchants or postal areas have five digits. */
export const codesMax = 131_072;
