/**
 * Why an attempt did not execute its action, as stored, shown and counted:
 *
 * - `status`: an answer that is neither 2xx nor a redirect; `redirect`: 3xx, which is never followed
 * - `answer`: 2xx with a body that does not match the interface; `answerTooLong`: more than 64 KiB
 * - `blocked`: refused by the address guard; `insecure`: plain http in production
 * - `dns`, `refused`, `tls`, `connectTimeout`, `timeout` (15 s in total), `reset`, `protocol` (not HTTP), `proxy`
 * - `interrupted`: this process stopped; whether the client received the request is unknown
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
