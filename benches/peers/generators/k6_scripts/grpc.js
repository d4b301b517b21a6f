import grpc from "k6/net/grpc";
import { Rate } from "k6/metrics";

export const options = $options;
const answered = new Rate("answered");
const message = JSON.parse(open("$message"));
const client = new grpc.Client();
client.load(["$proto_folder"], "$proto");
let connected = false;

export default function () {
  if (!connected) {
    client.connect("$address", { plaintext: true });
    connected = true;
  }
  answered.add(client.invoke("$call", message).status === grpc.StatusOK);
}
