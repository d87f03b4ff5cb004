/** One scenario: the operation finds the session of the login in the same channel. */
export const exampleKinds = ['login', 'operation', 'logout'] as const;
export type ExampleKind = (typeof exampleKinds)[number];

export interface ExamplePlace {
  readonly origin: string;
  readonly environment: 'production' | 'development';
  /** If empty, the example reads an environment variable. */
  readonly key: string;
}

/** Placeholder for the current time, which each language writes differently. */
const now = '{now}';

const bodies: Readonly<Record<ExampleKind, string>> = {
  login: '{"channelId":1,"user":"ana","session":"ana-1","publicIp":"203.0.113.7","data":""}',
  operation: `{"channelId":1,"timestamp":"${now}","account":{"client":"ana","session":"ana-1"},"transaction":{"category":"transfer"},"order":{"amount":250.00,"currency":"MXN"},"accountTo":{"bank":"B1","accountNumber":"0001"}}`,
  logout: '{"channelId":1,"user":"ana","session":"ana-1"}',
};

function pathOf(environment: ExamplePlace['environment']): string {
  return `${environment === 'production' ? '/api' : '/api-dev'}/v5/analytics/app`;
}

/** A shell command. */
export function curlExample(kind: ExampleKind, { origin, environment, key }: ExamplePlace): string {
  const body = bodies[kind].replace(now, `'$(date -u +%Y-%m-%dT%H:%M:%SZ)'`);
  return `curl -i ${origin}${pathOf(environment)}/${kind} \\
  -H "Authorization: Bearer ${key === '' ? '$RINGFENCE_KEY' : key}" \\
  -H 'Content-Type: application/json' \\
  -d '${body}'`;
}

/** With the client for Node.js, which neither blocks nor loses events. */
export function nodeExample({ origin, environment, key }: ExamplePlace): string {
  return `import { createRingfence } from '@ringfence/client';

const ringfence = createRingfence({
  baseUrl: '${origin}',
  environment: '${environment}',
  licenseKey: ${key === '' ? 'process.env.RINGFENCE_KEY' : `'${key}'`},
  onDrop: (reason) => console.error(reason),
});

ringfence.login({ channelId: 1, user: 'ana', session: 'ana-1', publicIp: '203.0.113.7', data: '' });
ringfence.operation({
  channelId: 1,
  timestamp: new Date().toISOString(),
  account: { client: 'ana', session: 'ana-1' },
  transaction: { category: 'transfer' },
  order: { amount: '250.00', currency: 'MXN' },
  accountTo: { bank: 'B1', accountNumber: '0001' },
});
ringfence.logout({ channelId: 1, user: 'ana', session: 'ana-1' });
await ringfence.close();`;
}

/** One file for Java 17, without libraries: `java RingfenceExample.java`. */
export function javaExample({ origin, environment, key }: ExamplePlace): string {
  const send = (kind: ExampleKind): string => {
    const body = `        ${bodies[kind].replace(now, '%s')}`;
    return `    send("${kind}", """\n${body}"""${kind === 'operation' ? '.formatted(Instant.now())' : ''});`;
  };
  return `// RingfenceExample.java
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;

public class RingfenceExample {
  static final String BASE = "${origin}${pathOf(environment)}/";
  static final String KEY = ${key === '' ? 'System.getenv("RINGFENCE_KEY")' : `"${key}"`};
  static final HttpClient CLIENT = HttpClient.newHttpClient();

  public static void main(String[] args) throws Exception {
${exampleKinds.map(send).join('\n')}
  }

  static void send(String kind, String body) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(BASE + kind))
        .header("Authorization", "Bearer " + KEY)
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
    var response = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
    System.out.println(kind + ": " + response.statusCode() + " " + response.body());
  }
}`;
}

/** A complete program for .NET 8. */
export function csharpExample({ origin, environment, key }: ExamplePlace): string {
  const send = (kind: ExampleKind): string => {
    // Three braces: a body may end with two.
    const body = bodies[kind].replace(now, '{{{DateTime.UtcNow.ToString("O")}}}');
    return `await Send("${kind}", $$$"""${body}""");`;
  };
  return `// Program.cs
using System.Net.Http.Headers;
using System.Text;

using var client = new HttpClient { BaseAddress = new Uri("${origin}${pathOf(environment)}/") };
client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue(
    "Bearer", ${key === '' ? 'Environment.GetEnvironmentVariable("RINGFENCE_KEY")' : `"${key}"`});

${exampleKinds.map(send).join('\n')}

async Task Send(string kind, string body)
{
    using var content = new StringContent(body, Encoding.UTF8, "application/json");
    using var response = await client.PostAsync(kind, content);
    Console.WriteLine($"{kind}: {(int)response.StatusCode} {await response.Content.ReadAsStringAsync()}");
}`;
}
