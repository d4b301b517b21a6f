import grpc from "k6/net/grpc";
import http from "k6/http";
import { Counter } from "k6/metrics";

export const options = $options;
const asked = $asked;
const wrong = new Counter("wrong");
const client = new grpc.Client();
if (asked.protocol === "grpc") client.load([asked.proto_folder], asked.proto);
let connected = false;

function answered() {
  if (asked.protocol !== "grpc") {
    return http.request(asked.method, asked.url, asked.body, { headers: asked.headers }).status < 300;
  }
  if (!connected) {
    client.connect(asked.address, { plaintext: true });
    connected = true;
  }
  return client.invoke(asked.call, asked.message).status === grpc.StatusOK;
}

export default function () {
  if (!answered()) wrong.add(1);
}
