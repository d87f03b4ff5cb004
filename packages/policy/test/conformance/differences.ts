/** Vectors of the corpus that come out otherwise than CEL says, under the reason why. */
interface Difference {
  readonly reason: string;
  readonly vectors: readonly string[];
}

const reservedWords =
  'as break const continue else for function if import let loop package namespace return var void while'.split(' ');

export const differences: readonly Difference[] = [
  {
    reason: 'an undeclared name is a mistake, also where its value could not matter',
    vectors: [
      'basic/variables/unbound_is_runtime_error',
      'basic/functions/unbound_is_runtime_error',
      ...reservedWords.map((word) => `parse/receiver_function_names/${word}`),
    ],
  },
  {
    reason: 'what is not true or false is no condition, also where its value could not matter',
    vectors: [
      'logic/AND/short_circuit_type_left',
      'logic/AND/short_circuit_type_right',
      'logic/OR/short_circuit_type_left',
      'logic/OR/short_circuit_type_right',
    ],
  },
  {
    reason: 'both branches of a choice are of one type',
    vectors: ['logic/conditional/mixed_type'],
  },
  {
    reason: 'a division by zero is missing: there is no NaN and no infinity that a rule could fire on',
    vectors: [
      'comparisons/eq_literal/not_eq_double_nan',
      'comparisons/eq_literal/not_eq_int_double_nan',
      'comparisons/eq_literal/not_eq_uint_double_nan',
      'comparisons/ne_literal/not_ne_double_nan',
      'comparisons/ne_literal/not_ne_int_double_nan',
      'comparisons/ne_literal/not_ne_uint_double_nan',
      'comparisons/ne_literal/ne_double_nan',
      'fp_math/fp_math/divide_zero',
      'fp_math/fp_math/fp_overflow_positive',
      'fp_math/fp_math/fp_overflow_negative',
    ],
  },
  {
    reason: 'an integer is compared with a double exactly, not by its nearest double',
    vectors: [
      'comparisons/lt_literal/not_lt_dyn_int_big_lossy_double',
      'comparisons/gt_literal/not_gt_dyn_big_double_int',
      'comparisons/lte_literal/lte_dyn_big_double_int',
      'comparisons/gte_literal/gte_dyn_int_big_lossy_double',
    ],
  },
  {
    reason: 'the smallest double that is an integer of 64 bits converts to it',
    vectors: ['conversions/int/double_int_min_range'],
  },
  {
    reason: 'the grammar of the parser that we use: a number begins with a digit',
    vectors: ['comparisons/gt_literal/not_gt_double'],
  },
  {
    reason: 'a policy has no containers: names are whole',
    vectors: [
      'namespace/namespace/self_eval_container_lookup',
      'namespace/namespace/self_eval_container_lookup_unchecked',
    ],
  },
  {
    reason: 'milliseconds are the smallest unit of time',
    vectors: [
      'timestamps/timestamp_conversions/toString_timestamp_nanos',
      'timestamps/timestamp_arithmetic/add_time_to_duration_nanos_negative',
      'timestamps/timestamp_arithmetic/add_time_to_duration_nanos_positive',
      'timestamps/timestamp_range/add_duration_nanos_over',
      'timestamps/timestamp_range/add_duration_nanos_under',
    ],
  },
  {
    reason: 'a span reaches 10,000 years, as the specification says, not the 292 that 64 bits of nanoseconds hold',
    vectors: [
      'timestamps/timestamp_range/sub_time_duration_over',
      'timestamps/timestamp_range/sub_time_duration_under',
    ],
  },
  {
    reason: 'a policy declares no functions',
    vectors: ['type_deductions/functions/function_result_type'],
  },
];
