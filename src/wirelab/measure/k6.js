// One closed load of users, each of whom sends the job's requests in turn, without a pause unless the job has one.
// k6 decodes each answer of gRPC into an object; of HTTP, it keeps the text.
import { sleep } from "k6";
import exec from "k6/execution";
import { Counter } from "k6/metrics";
import grpc from "k6/net/grpc";
import http from "k6/http";

const job = JSON.parse(open(__ENV.JOB));
export const options = job.options;
const wrong = new Counter("wrong");
const client = new grpc.Client();
if (job.proto) client.load([job.proto.folder], job.proto.file);
let connected = false;

function isRight(request) {
  if (!job.proto) {
    const reply = http.request(request.method, request.url, request.body, { headers: request.headers });
    return reply.status === request.status;
  }
  if (!connected) {
    client.connect(job.address, { plaintext: true });
    connected = true;
  }
  return client.invoke(request.call, request.message).status === grpc.StatusOK;
}

export default function () {
  const request = job.requests[exec.scenario.iterationInTest % job.requests.length];
  if (!isRight(request)) wrong.add(1);
  if (job.think_s > 0) sleep(job.think_s);
}
