/**
 * Why an attempt did not execute its action, as stored, shown and counted:
 *
 * - `status` an answer that is neither 2xx nor a redirect; `redirect` 3xx, which is never followed
 * - `answer` 2xx, but the body is not the answer that the interface names; `answerTooLong` beyond 64 KiB
 * - `blocked` the address guard refused; `insecure` plain http in production
 * - `dns`, `refused`, `tls`, `connectTimeout`, `timeout` (15 s in all), `reset`, `protocol` (not HTTP), `proxy`
 * - `interrupted` this process stopped; whether the client got it is unknown
 */
export type FailureReason =
  | 'status'
  | 'redirect'
  | 'answer'
  | 'answerTooLong'
  | 'blocked'
  | 'insecure'
  | 'dns'
  | 'refused'
  | 'tls'
  | 'connectTimeout'
  | 'timeout'
  | 'reset'
  | 'protocol'
  | 'proxy'
  | 'interrupted';
