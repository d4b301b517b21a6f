import grpc from "k6/net/grpc";
import http from "k6/http";
import { Counter } from "k6/metrics";

export const options = $options;
const request = $request;
const wrong = new Counter("wrong");
const client = new grpc.Client();
if (request.protocol === "grpc") client.load([request.proto_folder], request.proto);
let connected = false;

function answered() {
  if (request.protocol !== "grpc") {
    return http.request(request.method, request.url, request.body, { headers: request.headers }).status < 300;
  }
  if (!connected) {
    client.connect(request.address, { plaintext: true });
    connected = true;
  }
  return client.invoke(request.call, request.message).status === grpc.StatusOK;
}

export default function () {
  if (!answered()) wrong.add(1);
}
